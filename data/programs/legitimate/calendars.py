"""The calendar module and time arithmetic on tuples work without the host's files."""
# topic: dates
# call: leap_years(1999, 2013)
# call: month(2024, 2)
# call: parts(86400)

import calendar
import time


def leap_years(start, end):
    return [year for year in range(start, end) if calendar.isleap(year)]


def month(year, number):
    return calendar.monthrange(year, number), calendar.monthcalendar(year, number)[0]


def parts(seconds):
    return time.gmtime(seconds)[:6], time.strftime("%Y-%m-%d", time.gmtime(seconds))
