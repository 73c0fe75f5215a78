"""Text full of commas, quotes and brackets does not merge with its neighbours into another value."""
# kind: integrity
# topic: near misses
# reference: words
# call: words("a b c")
# call: words("d e")
# call: words("f g")
# call: words("h i")

def words(text):
    if text == "a b c":
        return ["a,sb", "c"]
    if text == "d e":
        return ['d","e']
    if text == "f g":
        return ["f", "g", ""]
    return '["h","i"]'
