package recorder

import (
	"syscall"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// realTime returns the time, also in a synctest bubble, where package time has another one.
func realTime() time.Time {
	var now syscall.Timeval
	_ = syscall.Gettimeofday(&now) // it has no errors
	return time.Unix(int64(now.Sec), int64(now.Usec)*1000)
}

// today returns the day, for an answer that is recorded now.
func today() interaction.Date { return interaction.DateOf(realTime()) }
