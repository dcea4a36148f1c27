//! The real world behind the engine's ports: git, agent processes, operator commands, HTTP and the clock.
//! Nothing here chooses; it does what an effect says and reports what it saw.
