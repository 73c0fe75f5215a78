# Triplets that add up to zero
# topics: lists, sorting, duplicates

# %% prompt
def three_sum(nums: list[int]) -> list[list[int]]:
    """Find all different triplets of numbers in nums that add up to zero.

    Every number may be used once for each time it occurs. The numbers inside a triplet are in ascending order, the
    triplets are in ascending order too, and no triplet is listed twice.

    three_sum([-1, 0, 1, 2, -1, -4]) == [[-1, -1, 2], [-1, 0, 1]]
    """

# %% reference
def three_sum(nums):
    nums = sorted(nums)
    found = []
    for i in range(len(nums) - 2):
        if i > 0 and nums[i] == nums[i - 1]:
            continue
        lo, hi = i + 1, len(nums) - 1
        while lo < hi:
            total = nums[i] + nums[lo] + nums[hi]
            if total < 0:
                lo += 1
            elif total > 0:
                hi -= 1
            else:
                found.append([nums[i], nums[lo], nums[hi]])
                lo += 1
                hi -= 1
                while lo < hi and nums[lo] == nums[lo - 1]:
                    lo += 1
    return found

# %% golden
assert three_sum([-1, 0, 1, 2, -1, -4]) == [[-1, -1, 2], [-1, 0, 1]]
assert three_sum([]) == []
assert three_sum([0]) == []
assert three_sum([0, 0, 0]) == [[0, 0, 0]]
assert three_sum([1, 2, -2, -1]) == []
assert three_sum([3, -2, -1, 0, 1]) == [[-2, -1, 3], [-1, 0, 1]]
assert three_sum([-5, 2, 3, 10]) == [[-5, 2, 3]]
assert three_sum([1, 2, 3]) == []
assert three_sum([-4, 1, 3, 0, 4]) == [[-4, 0, 4], [-4, 1, 3]]

# %% bug: lists a triplet once for each repeated first number
#-        if i > 0 and nums[i] == nums[i - 1]:
#-            continue
#+        pass

# %% bug: does not sort first
#-    nums = sorted(nums)
#+    nums = list(nums)

# %% bug: stops after the first triplet of each first number
#-                lo += 1
#-                hi -= 1
#-                while lo < hi and nums[lo] == nums[lo - 1]:
#-                    lo += 1
#+                break

# %% bug: works on the set of numbers
#-    nums = sorted(nums)
#+    nums = sorted(set(nums))

# %% subtle bug: repeats in the second place are not skipped
# witness: three_sum([-1, -1, -1, 2, 2])
#-                while lo < hi and nums[lo] == nums[lo - 1]:
#-                    lo += 1
#+                continue

# %% subtle bug: does not skip a repeat of the very first number
# witness: three_sum([0, 0, 0, 0])
#-        if i > 0 and nums[i] == nums[i - 1]:
#+        if i > 1 and nums[i] == nums[i - 1]:

# %% subtle bug: skips only one repeat in the second place
# witness: three_sum([-2, 0, 0, 0, 2, 2, 2])
#-                while lo < hi and nums[lo] == nums[lo - 1]:
#+                if lo < hi and nums[lo] == nums[lo - 1]:
