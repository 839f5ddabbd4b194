/** A process of its own that acts in the simulated cloud of a folder: `<folder> <first> <count>`. Says which acts were answered. */
import { writeSync } from 'node:fs'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'

const [folder = '', first = '0', count = '0'] = process.argv.slice(2)
const sim = simulatedCloud({
  seed: 'tidemark',
  now: () => new Date('2026-03-16T10:30:00Z'),
  sleep: () => Promise.resolve(),
  folder,
})
const account = { id: 'acct-1', orgId: 'org', provider: 'aws', externalId: '1', name: '', regions: [] } as const
for (let n = Number(first); n < Number(first) + Number(count); n += 1) {
  const resource = { resourceUid: `i-${n % 10}`, type: 'aws-ec2', region: 'us-east-1' }
  try {
    await sim.act({ ...account, credentials: null }, { id: `a-${n}`, kind: n % 2 === 0 ? 'stop' : 'start', resource })
    writeSync(1, `${n}\n`)
  } catch {
    writeSync(1, `refused ${n}\n`)
  }
}
