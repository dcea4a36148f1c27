//! The GitHub client: requests, conditional reads, paging, the budget, and what an answer means. The transport
//! is a function from request to response, so the same client talks to github.com and plays in the simulator.
