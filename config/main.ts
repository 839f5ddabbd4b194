/** Entry of every command. */
import { typed } from '#config/command/line/line.ts'

// What any of us writes is for this user's eyes alone, servers that we start included.
process.umask(0o077)
const [first = 'help', ...rest] = process.argv.slice(2)
process.exitCode = await typed(first, rest)
if (process.connected) process.disconnect()
// Commands leave nothing running that matters; a client's idle socket must not hold the shell.
setTimeout(() => process.exit(), 1000).unref()
