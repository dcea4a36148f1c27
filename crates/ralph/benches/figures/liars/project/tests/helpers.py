"""What several tests need."""

from calc import cli


def printed(line):
    """What the command line answers to a line."""
    return cli.run(line.split())
