"""Dates, times, durations and time zones arrive as values."""
# topic: dates
# call: day_after("2024-02-28", 2)
# call: between("2024-01-01T10:00", "2024-01-02T11:30")
# call: weekday(2024, 2, 29)
# call: aware()

from datetime import date, datetime, time, timedelta, timezone


def day_after(text, days):
    return date.fromisoformat(text) + timedelta(days=days)


def between(start, end):
    return datetime.fromisoformat(end) - datetime.fromisoformat(start)


def weekday(year, month, day):
    return date(year, month, day).strftime("%A")


def aware():
    moment = datetime(2024, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    return [moment.astimezone(timezone.utc).isoformat(), time(1, 2, 3), moment.timestamp()]
