/** Entry point of every command. The commands are in `config/command/`, listed in its `index.ts`. */
import { runCommandLine } from '#config/command/line/run-command-line.ts'

// Files written by any of our processes, including servers they start, are readable only by this user.
process.umask(0o077)
const [first = 'help', ...rest] = process.argv.slice(2)
process.exitCode = await runCommandLine(first, rest)
if (process.connected) process.disconnect()
// Commands leave no important work running; a client's idle socket must not delay the exit.
setTimeout(() => process.exit(), 1000).unref()
