//! The REST layer as a client sees it; every answer is held against GitHub's published description.

#![cfg(test)]

mod contract;
mod site;

mod issues;
