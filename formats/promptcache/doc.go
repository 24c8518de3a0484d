// Package promptcache puts Anthropic's prompt-cache markers into a conversation and takes them out again.
//
// The placement is the one that Hermes Agent calls system_and_3: breakpoint 1 on the system message, 2 to 4 on the last
// three other messages; without a system message, on the last four. Markers that were there are taken out first,
// wherever the API counts them: on messages, content parts and parts within results, tool calls, tool definitions and
// the request itself. So there are never more than four, which is the API's limit.
//
// Where a marker goes follows from the content:
//
//	content                                  the marker stands
//	text                                     on the one text part that the text becomes
//	list of parts                            on the last part that may carry one
//	null, "", none, an empty list            at the top level of the message
//	role tool, in the dialect anthropic      at the top level of the message
//	role tool or function, in openai         nowhere
//	anything else                            nowhere
//
// A part may carry a marker unless it is thinking (the API refuses that), an empty text (likewise) or no object. A message
// that cannot carry one is passed over and uses up no breakpoint.
//
// # Taking markers out again
//
// Edits are splices: all other bytes stay. Remove gives back, byte for byte, the record that Place was given, if it had
// no markers. For that, what Place had to change beyond adding a member is spelled in a way of its own:
//
//   - A text that became a list has its marker between type and text, {"type", "cache_control", "text"}; on a part that was
//     there the marker is the last member. Only a list of the first kind becomes a text again.
//   - A marker that took the place of a null (records padded with nulls) has a space before its closing brace and none
//     behind the opening one, {"type": "ephemeral" }, and becomes null again.
//
// A program that writes the record anew in its own spelling may lose the second. The result is a valid conversation that
// says the same all the same.
//
// Everything here is pure and safe for concurrent use.
package promptcache
