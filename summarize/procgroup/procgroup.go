// Package procgroup ends a program together with everything it has started: programs that ctxpack runs (summarisers,
// context engines) are groups of their own, which an interrupt at the terminal does not reach and a kill reaches whole.
package procgroup
