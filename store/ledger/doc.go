// Package ledger keeps the record of everything decided and done: append-only
// JSON Lines in which every line is chained to the one before it by SHA-256.
//
// What happens to an entry here:
//
//  1. a worker calls [Marshal]: the content of the line, without its chain
//     members. That is all the encoding there is;
//  2. the one writer of the storage engine calls [Ledger.Append] in commit
//     order. It adds seq, prev and hash and copies the line to the end;
//  3. it calls [Ledger.Sync] and [Ledger.Marks] and stores the marks in the
//     same commit as the settlements;
//  4. after a crash [Open] cuts the open segment back to its committed mark
//     and goes on with the chain. Lines behind the mark belong to settlements
//     that never were.
//
// # Chain
//
// A line is
//
//	{"seq":7,"prev":"…","type":"visit",…,"hash":"…"}
//
// in which hash is the SHA-256, in lower-case hex, of all octets of the line
// before `,"hash"`, and prev is the hash of the line before (64 zeros in line
// 1). A changed, lost, added or moved line therefore breaks the chain at that
// line, also across segments; [Verify] names it. The chain cannot show that
// the newest lines were cut off at a line's end: that is what the marks are
// for.
//
// # Segments
//
// 000001.jsonl, 000002.jsonl and so on. When a segment has reached its size and
// a new commit group begins, so that all of it is known to be committed, it is
// compressed into 000001.jsonl.zst: written aside, fsynced, renamed, and only
// then is the plain file removed. Marks are named ledger/000001.jsonl and count
// uncompressed octets; the newest one is enough. A segment newer than every
// mark is never deleted but renamed to NAME.unmarked: either it belongs to a
// first group that was never committed, or the state lost its memory, and then
// the file is evidence.
//
// This room never decides, never changes a line that is before a mark, and
// never interprets an outcome.
package ledger
