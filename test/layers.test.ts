import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Each layer may import itself and the layers before it. `config` is the composition root: it may import all. */
const layers = ['engine', 'streams', 'analytics', 'actors', 'http', 'config']

const files = globSync('{engine,streams,analytics,actors,http,config}/**/*.{ts,mjs}').map((name) => ({
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
    const roundabout = files.flatMap(({ name, text }) =>
      [...text.matchAll(/(?:from|import|import\() ?['"](\.\.?\/[^'"]*)['"]/g)]
        .filter(([, to]) => !to!.startsWith('./'))
        .map(([line]) => `${name}: ${line}`),
    )
    expect(roundabout).to.deep.equal([])
  })
})

describe('what stands in one place only', () => {
  it('is the environment: the settings, and the entry that has none yet', () => {
    expect(holding(/process\.env/)).to.have.members(['config/settings.ts', 'config/run.mjs'])
  })
  it('is the schema language', () => {
    expect(holding(/['"]typebox/)).to.deep.equal(['engine/schema.ts'])
  })
})
