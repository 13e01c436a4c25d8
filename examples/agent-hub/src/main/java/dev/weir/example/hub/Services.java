package dev.weir.example.hub;

/** What the hub consists of: what agents reach over WebSocket and programs over HTTP is the same. */
record Services(Gate gate, Registry registry, Agents agents, Channels channels, TaskQueue tasks, Scheduler scheduler) {}
