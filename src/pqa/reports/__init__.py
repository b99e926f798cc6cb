"""Reports: sinks of the event stream and renderings of a finished run; they show and never judge."""
