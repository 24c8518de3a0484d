package jsonl

import "bytes"

// firstElement is the first element of the array that b begins with, as far as it goes in b; nil when the array is
// empty or is none.
func firstElement(b []byte) []byte {
	if len(b) == 0 || b[0] != '[' {
		return nil
	}
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	var s scanner
	s.scan(b, true)
	return b[:s.pos]
}

// messageLike says that an element of an array is a piece of one conversation (a message, an item of the Responses
// API, an agent's event) rather than a whole conversation, so that the array is the record.
func messageLike(element []byte) bool {
	seen := map[string][]byte{}
	members(element, func(key string, value []byte) { seen[key] = value })
	for _, list := range []string{
		"messages", "conversations", "conversation", "chat", "trajectory", "history", "traj", "prompt", "steps", "body",
	} {
		if _, ok := seen[list]; ok {
			return false
		}
	}
	text := func(key string) bool { return bytes.HasPrefix(seen[key], []byte{'"'}) }
	switch {
	case text("role"), text("from"):
		return true
	case text("source") && (text("kind") || text("action") || text("observation")): // OpenHands events
		return true
	}
	switch string(seen["type"]) { // items of the Responses API
	case `"message"`, `"function_call"`, `"function_call_output"`, `"reasoning"`:
		return true
	}
	return false
}

// members calls yield for the members of the object that b begins with, as far as they go in b. Keys come as they are
// spelled, without their quotes.
func members(b []byte, yield func(key string, value []byte)) {
	if len(b) == 0 || b[0] != '{' {
		return
	}
	b = b[1:]
	for {
		b = bytes.TrimLeft(b, " \t\r\n,")
		var key scanner
		if len(b) == 0 || b[0] != '"' || key.scan(b, true) != complete {
			return
		}
		name := string(b[1 : key.pos-1])
		b = bytes.TrimLeft(b[key.pos:], " \t\r\n:")
		if len(b) == 0 {
			return
		}
		var value scanner
		v := value.scan(b, true)
		yield(name, b[:value.pos])
		if v != complete {
			return
		}
		b = b[value.pos:]
	}
}
