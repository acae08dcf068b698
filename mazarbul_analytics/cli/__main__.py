"""`python -m mazarbul_analytics.cli`: the command line where no script is installed."""

from mazarbul_analytics.cli import main

main()
