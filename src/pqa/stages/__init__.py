"""The verbs, in the order of the flow; none knows another, none knows a concrete part."""
