// Package promptcost reckons what an agent's calls to a model cost with and without Anthropic's prompt caching. It is pure
// arithmetic on tokens: no texts, no files, no clock.
//
// # The rules
//
// They are those of Anthropic's documentation of prompt caching (read 2026-11), for the placement of breakpoints that
// formats/promptcache makes: one behind tools and system prompt, the others behind the last three other messages (four
// without a system prompt).
//
//   - A call writes one entry for each breakpoint: the prefix that ends there. Nothing is written in between.
//   - A call reads the longest prefix that an earlier call wrote. From each breakpoint the search goes backward over at
//     most 20 positions, the breakpoint itself being the first; a position is a content block, and a run of consecutive
//     calls, or of consecutive results, is one.
//   - What is read costs 0.1 of an input token; what lies between there and the last breakpoint is written and costs 1.25
//     (an entry that lives five minutes) or 2 (an hour); what follows the last breakpoint costs 1.
//   - A prefix shorter than the model's minimum is neither written nor found. Nobody is told.
//   - An entry lives for its lifetime after its last use. A call uses the entry that it reads, and those at its
//     breakpoints. Where the time of either use is not known, the entry is taken to be alive.
//
// A change in the middle therefore invalidates all that follows it, and the system prompt outlives a compaction: its
// entry ends before the change.
//
// What is left out: rates that rise with the prompt's length, entries that the provider drops early, and calls that are
// made before the answer to the one that writes has begun.
package promptcost
