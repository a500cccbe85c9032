//! Differential privacy policies for Prio3: the client, the aggregators, the collector
