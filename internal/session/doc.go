// Package session replays recorded conversations of messages both ways: WebSocket
// sessions, two-way HTTP/2 bodies, typed streams. It knows no protocol: the caller
// gives each message a form, a string, and equal forms match.
//
// A [Builder] makes a [Recording] of a conversation. A [Group] has the recordings
// that begin with the same handshake, and places the conversations of a replay on
// them. A [Player] is one conversation of the replay.
//
// # Order
//
// A sent message takes the first recorded sent message of its form that is not
// taken. A received message is released when all messages that were sent before it
// in the recording are taken. The order of sent messages among themselves does not
// count, because goroutines of a program send in another order in each run.
//
// # Bytes
//
// Some sent messages are pieces of one stream of bytes, such as audio, which a
// program cuts differently in each run. A recording has the parts of the stream: a
// part has all bytes of one form that were sent between two received messages. A
// part is taken when all of its bytes were sent and their SHA-256 is the recorded
// one.
//
// # Placement
//
// Several conversations may be open at once and begin alike, so the recording of a
// conversation is known only after some of its messages. A conversation fits a
// recording if each message that it sent takes one there, and if the messages that
// it received are the first received messages there. All conversations of a group
// are placed together, each on a recording of its own that it fits. A message that
// leaves no such placement is a [Miss].
//
// A conversation that is closed keeps its place, and moves like the others to make
// room. It stays if it has sent and received all of its recording: on a longer one, a
// report would say that messages were not sent.
package session
