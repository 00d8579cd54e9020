"""Work spread over whatever there is: this process, processes of this machine, the machines of a Ray cluster.

    machine     how many workers have room here
    outcome     what comes back of an item
    mapping     map_unordered: which executor does the work
    inline      here, one item after the other
    lanes       any number of seats, each fed one item at a time
    process     a seat: one worker process (`ingest.worker`) beside us
    cluster     the connection to Ray; a local one is started where none is named
    placed      a seat: an actor that Ray places, with a worker process beside it
"""

from ingest.execute.machine import cores
from ingest.execute.mapping import map_unordered
from ingest.execute.outcome import IN_FLIGHT, Outcome

__all__ = ["IN_FLIGHT", "Outcome", "cores", "map_unordered"]
