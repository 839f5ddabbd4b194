import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'

/** Each layer may import itself and the layers before it. `config` is the composition root: it may import all. */
const layers = ['engine', 'streams', 'analytics', 'actors', 'http', 'config']

const files = globSync('{engine,streams,analytics,actors,http,config}/**/*.{ts,tsx,mjs}').map((name) => ({
  name,
  text: readFileSync(name, 'utf8'),
}))
const holding = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ name }) => name)

describe('imports point one way', () => {
  for (const [rank, layer] of layers.entries()) {
    it(layer, () => {
      const upward = files
        .filter(({ name }) => name.startsWith(`${layer}/`))
        .flatMap(({ name, text }) =>
          [...text.matchAll(/(?:from|import|import\() ?['"]#(\w+)\//g)]
            .filter(([, to]) => !layers.includes(to!) || layers.indexOf(to!) > rank)
            .map(([line]) => `${name}: ${line}`),
        )
      expect(upward).to.deep.equal([])
    })
  }

  it('by their names, never by way of another folder', () => {
    expect(files).to.have.length.above(100)
    // Browsers know no names of folders: what they run stays within its own.
    const named = files.filter(({ name }) => !name.startsWith('http/console/web/'))
    const roundabout = named.flatMap(({ name, text }) =>
      [...text.matchAll(/(?:from|import|import\() ?['"](\.\.?\/[^'"]*)['"]/g)]
        .filter(([, to]) => !to!.startsWith('./'))
        .map(([line]) => `${name}: ${line}`),
    )
    expect(roundabout).to.deep.equal([])
  })

  it('within what browsers run, which knows nothing of the rest', () => {
    const web = 'http/console/web/'
    const packages = [
      'preact',
      'preact/hooks',
      '@preact/signals',
      'd3-sankey',
      'lean-qr',
      'echarts/charts',
      'echarts/components',
      'echarts/core',
      'echarts/renderers',
    ]
    const outside = files
      .filter(({ name }) => name.startsWith(web))
      .flatMap(({ name, text }) =>
        [...text.matchAll(/(?:^(?:import|export)[^'"`;]*?from|import\() ?['"]([^'"]+)['"]/gm)]
          .map(([, to]) => to!)
          .filter(
            (to) =>
              !packages.includes(to) && !(to.startsWith('.') && path.join(path.dirname(name), to).startsWith(web)),
          )
          .map((to) => `${name}: ${to}`),
      )
    expect(outside).to.deep.equal([])
  })
})

describe('packages of clouds', () => {
  it('are loaded at their first use: a start waits for none of them', () => {
    const own = /^import (?!type )[^'"]*['"](?:@aws-sdk|@azure|@google-cloud|google-auth-library|google-gax)[^'"]*['"]/m
    expect(holding(own)).to.deep.equal([])
    expect(holding(/import\(['"]@google-cloud\/monitoring['"]\)/)).to.deep.equal([
      'streams/cloud/gcp/measure/time-series.ts',
    ])
  })
})

/** Who imports whom by file, types included. */
const imports = new Map(
  files.map(({ name, text }) => [
    name,
    [...text.matchAll(/(?:from|import\() ?['"](#|\.{1,2}\/)([^'"]+)['"]/g)]
      .map(([, kind, to]) => (kind === '#' ? to! : path.join(path.dirname(name), kind!, to!)))
      .filter((to) => to !== name),
  ]),
)
/** The rooms of a layer: its folders, and each file at its top. */
const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/')
const rooms = new Map<string, string[]>()
for (const [from, all] of imports) {
  const own = all.map(roomOf).filter((to) => to !== roomOf(from))
  rooms.set(roomOf(from), [...new Set([...(rooms.get(roomOf(from)) ?? []), ...own])])
}

/** Those that come back to where they began. */
function circles(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of arrows.get(from) ?? []) if (!seen.has(to)) reached(to, seen.add(to))
    return seen
  }
  return [...arrows.keys()].filter((from) => reached(from).has(from)).toSorted()
}

describe('rooms', () => {
  it('have no circles of files, types included', () => expect(circles(imports)).to.deep.equal([]))

  it('have no circles of folders', () => expect(circles(rooms)).to.deep.equal([]))

  it("keep the engine's lane and stores apart, and what an actor is written with above both", () => {
    const of = (room: string) => rooms.get(room)!.filter((to) => to.startsWith('engine/'))
    for (const room of ['engine/lane', 'engine/store']) {
      expect(of(room)).to.not.include(room === 'engine/lane' ? 'engine/store' : 'engine/lane')
      expect(of(room)).to.not.include('engine/run')
    }
    const below = [...rooms].filter(([, all]) => all.includes('engine/lane') || all.includes('engine/store'))
    expect(below.map(([room]) => room).filter((room) => room.startsWith('engine/'))).to.deep.equal(['engine/run'])
  })

  it('keep what asks ClickHouse, and the tables and views themselves, free of capabilities', () => {
    expect(rooms.get('analytics/store')!.filter((to) => to.startsWith('analytics/'))).to.deep.equal([])
    const top = files.map(({ name }) => name).filter((name) => /^analytics\/([^/]+|tables\/.*|views\/.*)$/.test(name))
    expect(top).to.deep.equal(['analytics/index.ts'])
  })

  it("point one way in the edge: stores, identity, the edge's machine, then everything else", () => {
    const order = ['http/store', 'http/identity', 'http/edge']
    for (const [rank, room] of order.entries()) {
      const own = rooms.get(room)!.filter((to) => to.startsWith('http/'))
      expect(
        own.filter((to) => !order.slice(0, rank).includes(to)),
        room,
      ).to.deep.equal([])
    }
    const top = files.map(({ name }) => name).filter((name) => /^http\/[^/]+$/.test(name))
    expect(top).to.deep.equal(['http/index.ts'])
  })
})

/** The words of capabilities, as docs/map.md lists them. */
const words = new Set(
  [
    ...readFileSync('docs/map.md', 'utf8')
      .split('| word |')[1]!
      .split('\n\n')[0]!
      .matchAll(/^\| `([a-z-]+)` \|/gm),
  ].map(([, word]) => word!),
)
/** Rooms that know no capability, by layer; in `streams` also the files at the top that hold no messages. */
const machines = {
  streams: [
    'cloud',
    'cron',
    'delivery',
    'figure.ts',
    'focus-columns.ts',
    'names.ts',
    'retry.ts',
    'stream-user.ts',
    'text.ts',
  ],
  analytics: ['rollup', 'store', 'tables', 'views'],
  actors: ['migrations', 'capability.ts', 'row-limit.ts', 'tools.ts', 'works.ts'],
  http: ['store', 'identity', 'edge', 'file', 'site', 'console'],
} as const

describe('folders', () => {
  /** Their entries are the capabilities; or they only ever grow, or are named by what reads them. */
  const wide = [
    'actors',
    'analytics',
    'http',
    'streams',
    'analytics/tables',
    'analytics/views',
    'http/identity/migrations',
  ]
  /** Divided with the next version of the console. */
  const console = 'http/console/web'

  it('hold 16 entries at most', () => {
    const entries = new Map<string, Set<string>>()
    for (const name of globSync('{engine,streams,analytics,actors,http,config}/**/*')) {
      const folder = path.dirname(name)
      entries.set(folder, (entries.get(folder) ?? new Set()).add(name))
    }
    const over = [...entries].filter(([folder, all]) => all.size > 16 && !folder.startsWith(console))
    expect(over.map(([folder]) => folder).toSorted()).to.deep.equal(wide.toSorted())
  })
})

describe('the words of capabilities', () => {
  it('are the names of all other rooms, the same in every layer, and each is in use', () => {
    const used = Object.entries(machines).flatMap(([layer, machine]) => {
      const found = files.filter(({ name }) => name.startsWith(`${layer}/`)).map(({ name }) => name.split('/')[1]!)
      return found.filter((name) => name !== 'index.ts' && !(machine as readonly string[]).includes(name))
    })
    const names = [...new Set(used.map((name) => name.replace(/\.ts$/, '')))].toSorted()
    expect(names).to.deep.equal([...words].toSorted())
  })

  it('are no names within a machine', () => {
    const within = /^(?:engine|analytics\/store|http\/(?:store|edge)|config\/embedded)\//
    const named = files.filter(({ name }) => within.test(name) && words.has(path.basename(name, '.ts')))
    expect(named.map(({ name }) => name)).to.deep.equal([])
  })

  it('are not known to a machine: what handlers may use is the one list of them', () => {
    const rooms = [...words].flatMap((word) => [`streams/${word}.ts`, `streams/${word}/`, `analytics/${word}/`])
    const known = [...rooms, ...[...words].flatMap((word) => [`actors/${word}/`, `http/${word}/`])]
    const within = /^(?:engine|analytics\/store|http\/(?:store|edge))\//
    const met = [...imports]
      .filter(([from, all]) => within.test(from) && all.some((to) => known.some((room) => to.startsWith(room))))
      .map(([from]) => from)
    expect(met).to.deep.equal(['http/edge/services.ts'])
  })
})

describe('what stands in one place only', () => {
  it('is the environment: the settings, variables that a file names, and the entry that has none yet', () => {
    const readers = ['config/settings/settings.ts', 'config/settings/variable.ts', 'config/run.mjs']
    expect(holding(/process\.env/)).to.have.members(readers)
  })
  it('is the schema language', () => {
    expect(holding(/['"]typebox/)).to.deep.equal(['engine/value/schema.ts'])
  })
})
