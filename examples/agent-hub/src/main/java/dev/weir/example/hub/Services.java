package dev.weir.example.hub;

/** The services of the hub, shared by the WebSocket protocol and the HTTP API. */
record Services(
        HubLimits gate, Registry registry, Agents agents, Channels channels, TaskQueue tasks, Scheduler scheduler) {}
