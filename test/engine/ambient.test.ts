import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'

/** Time and chance that are nobody's port. Delays inside a port's own adapter are that adapter's business. */
const ambient =
  /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|Date\.now|performance\.now|process\.hrtime|Math\.random|randomUUID|randomBytes|fetch)\b|\bnew Date\(\)|node:timers/

/** Files that stand at the world's edge: adapters of the ports, and what runs outside of lanes. */
const edges = [
  'actor/ask.ts',
  'clock.ts',
  'run/publisher.ts',
  'run/tell.ts',
  'run/worker.ts',
  ...[
    'clickhouse/clickhouse',
    'nats/publish',
    'nats/reader',
    'nats/nats',
    'postgres/lease',
    'postgres/postgres',
    'postgres/primary',
  ].map((name) => `store/${name}.ts`),
]

const files = readdirSync(path.join(root, 'engine'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
)
const uses = (name: string): string[] =>
  readFileSync(path.join(root, 'engine', name), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line) && ambient.test(line))

describe('the engine', () => {
  it('takes time, delays and chance from its ports alone, so that it runs the same in a simulation', () => {
    const found = files
      .filter((name) => !edges.includes(name))
      .flatMap((name) => uses(name).map((line) => `${name}: ${line.trim()}`))
    expect(found).to.deep.equal([])
  })

  it('reaches NATS, PostgreSQL and ClickHouse in the adapters of its ports alone', () => {
    const clients = /from '(?:@nats-io\/[^']+|pg|@clickhouse\/client)'/
    const importing = files.filter((name) => clients.test(readFileSync(path.join(root, 'engine', name), 'utf8')))
    expect(importing.toSorted()).to.deep.equal([
      'actor/ask.ts',
      ...[
        'clickhouse/clickhouse',
        'clickhouse/shards',
        'migrate',
        'nats/nats',
        'nats/organization',
        'nats/publish',
        'nats/reader',
        'nats/replicas',
        'postgres/commit',
        'postgres/effect',
        'postgres/lease',
        'postgres/mark',
        'postgres/postgres',
        'postgres/primary',
        'postgres/reminder',
      ].map((name) => `store/${name}.ts`),
    ])
  })
})
