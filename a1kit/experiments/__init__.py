"""Experiments: settings x seeds, run side by side, and a report of what they say.

    suite = suites.suite("ablations", preset="micro-traps", seeds=5)
    grid.run(suite, folder, jobs=2, listen=print)     # resumable: what is finished stays finished
    report.write(folder)                              # report.md, report.html, figures, numbers.json

`suites` says what is compared, `grid` runs it, `results` reads the runs, `claims` holds what the paper found and
decides which of it shows here, `report` writes it down.
"""
