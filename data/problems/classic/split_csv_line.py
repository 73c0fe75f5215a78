# The fields of a CSV line
# topics: strings, parsing, state machines

# %% prompt
def split_csv_line(line: str) -> list[str]:
    """Split one line of comma-separated values into its fields.

    A field that begins with a double quote ends at the next double quote that is not doubled; inside it, commas are
    ordinary characters and two double quotes stand for one. The quotes around a field are not part of it. Spaces are
    kept. An empty line has one empty field. Quoted fields are always well formed.

    split_csv_line('a,"b,c",d') == ["a", "b,c", "d"]
    """

# %% reference
def split_csv_line(line):
    fields, field, quoted, i = [], "", False, 0
    while i < len(line):
        char = line[i]
        if quoted:
            if char == '"' and line[i + 1 : i + 2] == '"':
                field += '"'
                i += 1
            elif char == '"':
                quoted = False
            else:
                field += char
        elif char == '"' and not field:
            quoted = True
        elif char == ",":
            fields.append(field)
            field = ""
        else:
            field += char
        i += 1
    return [*fields, field]

# %% golden
assert split_csv_line('a,"b,c",d') == ["a", "b,c", "d"]
assert split_csv_line("") == [""]
assert split_csv_line("a") == ["a"]
assert split_csv_line("a,b,c") == ["a", "b", "c"]
assert split_csv_line("a,,c") == ["a", "", "c"]
assert split_csv_line(",") == ["", ""]
assert split_csv_line('"say ""hi""",x') == ['say "hi"', "x"]
assert split_csv_line(" a , b") == [" a ", " b"]
assert split_csv_line('"a,b"') == ["a,b"]

# %% bug: splits at every comma
def split_csv_line(line):
    return line.split(",")

# %% bug: drops the last field when it is empty
#-    return [*fields, field]
#+    return [*fields, field] if field else fields

# %% bug: removes spaces
#-            fields.append(field)
#+            fields.append(field.strip())

# %% bug: a doubled quote ends the field
#-            if char == '"' and line[i + 1 : i + 2] == '"':
#+            if False:

# %% subtle bug: quotes toggle anywhere in a field
# witness: split_csv_line('5" pipe,6" pipe')
#-        elif char == '"' and not field:
#+        elif char == '"':
