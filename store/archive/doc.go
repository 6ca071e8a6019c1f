// Package archive keeps what came of a visit: WARC/1.1 files with one gzip
// member per record, and a CDXJ index beside them.
//
// What happens to a visit here:
//
//  1. a worker calls [Archive.Build]: the records of the visit become complete
//     gzip members, in memory or, for large bodies, in a spool file. Build is
//     parallel; all hashing and compression is done in it;
//  2. the one writer of the storage engine calls [Archive.Append] for the
//     visits of a commit group, in commit order;
//  3. it calls [Archive.Sync] and [Archive.Marks] and stores the marks in the
//     same commit as the settlements;
//  4. after a crash [Open] cuts every file back to its committed mark. So the
//     files hold exactly what the committed settlements wrote: no half record,
//     no duplicate, nothing missing.
//
// # Files
//
// A file is called PREFIX-YYYYMMDDhhmmss-SERIAL-RANDOM.warc.gz and carries
// .open behind that until it is final. It is made final only when all of it is
// known to be committed: when a later group begins, or by [Archive.Close].
// Therefore a file without a mark is garbage if it is still .open (removed),
// and whole if it is final (kept untouched, and reported in [Recovery]: then
// it is the state that lost its memory). Marks are named archive/FILE and need
// to be kept for .open files only; marks of final files do no harm.
//
// The index is derived data. Its lines are appended beside the WARC file and
// never fsynced on their own; [Open] keeps the lines that are whole and inside
// the mark and reads the rest back from the WARC file. A finished index is
// sorted bytewise, as CDXJ readers expect.
//
// # Records
//
//   - A page gives response, request and metadata (in that order), a 304 or an
//     identical payload gives revisit, request and metadata, a failure gives
//     metadata only. The others name the first by WARC-Concurrent-To.
//   - Bodies stand as received in their content coding but without transfer
//     coding. A Transfer-Encoding field would then be a lie that readers cannot
//     undo, so its name becomes X-Orig-Transfer-Encoding (WARC 1.1 §6.3.2 and
//     §5.9: the payload is the entity-body). All other octets of a response
//     head are kept.
//   - WARC-Payload-Digest and WARC-Block-Digest are SHA-1 in base32, which is
//     what CDX tools join on; the extension field Payload-SHA256 (lower-case
//     hex) is what integrity rests on.
//   - HTTP/2 has no head in text form: [RequestHead] and [ResponseHead] write
//     one, and WARC-Protocol names what was spoken.
//   - A payload that this process appended before for the same host becomes a
//     revisit. Never across hosts: consent belongs to a host, and purging one
//     must not hollow out another.
//
// The records are written by this package and read by gowarc, strictly: reader
// and writer share no code, so a verified archive was understood by a stranger.
//
// This room never fetches, never decides, never writes credentials, and never
// touches an octet that is before a mark.
package archive
