// Package parquet reads and writes Parquet files whose rows hold conversations, and is the only door to parquet-go.
//
// A conversation column of a row is a record: most files have one, preference data have several (chosen, rejected), each
// with its own fate; the row is written once, with what changed. The payload is the column spelled as JSON:
// `{"messages": […]}` made from a list of structs or of JSON texts, or the text itself where the column is a JSON string.
// The rest of the row travels in the record's handle and is written back value for value. Only a conversation that
// changed is taken apart into values again; messages of it that did not change keep theirs.
//
// Nothing in a file is trusted: levels are held against the schema, rows are counted, and what the library panics about
// is an error that names the file.
//
// Values are assembled by their repetition and definition levels, never by the names of list levels, so every way in
// which writers nest lists is read (the Parquet format's LogicalTypes.md, section "Lists", with its rules for old files).
package parquet
