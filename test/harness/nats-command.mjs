// What documents use of the `nats` command, for machines without it: `nats -s URL pub SUBJECT TEXT` and `nats -s URL sub SUBJECT`.
// Without -s the address is NATS of the environment. A publisher waits until the message is on disk; a subscriber ends once it listens.
import { connect } from '@nats-io/transport-node'

const rest = process.argv.slice(2)
const url = new URL(rest[0] === '-s' ? rest.splice(0, 2)[1] : process.env.NATS)
const [what, subject, text] = rest
const nats = await connect({ servers: url.host, user: url.username, pass: url.password })
let refused
void nats.closed().then((error) => (refused = error))
if (what === 'sub') {
  nats.subscribe(subject, { callback: (error) => (refused ??= error) })
  await nats.flush()
} else console.log((await nats.request(subject, text, { timeout: 10_000 })).string())
await nats.close()
if (refused) throw refused
