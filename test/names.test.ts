/** How exported things may be called: what a reader can understand without opening the file. */
import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Participles that do not end in `ed`, and pronouns. */
const irregular = new Set(
  `about anew asked asking begun being bound built chosen come doing done drawn driven fallen felt found given gone
  going heard held how hidden kept known laid left lent lost made meant met place said seen sent shown sold spent
  standing stood taken thought told understood wanting whence who whose won written`.split(/\s+/),
)
/** Words that end in `ed` and are none. */
const noParticiple = new Set(['embed', 'exceed', 'feed', 'hundred', 'need', 'proceed', 'seed', 'speed', 'succeed'])

const isParticiple = (name: string): boolean => {
  const word = name.toLowerCase()
  return /^[A-Za-z][a-z]*$/.test(name) && (irregular.has(word) || (word.endsWith('ed') && !noParticiple.has(word)))
}

const exports = globSync('{engine,streams,analytics,actors,http,config}/**/*.{ts,tsx,mjs}').flatMap((file) =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /^export (?:abstract |async )*(type|interface|class|const|let|function\*?) (\w+)/gm,
    ),
  ].map(([, kind, name]) => ({ file, kind: kind!, name: name! })),
)

describe('the name of an export', () => {
  it('is not a participle or a pronoun alone', () => {
    expect(exports).to.have.length.above(1000)
    const bare = exports.filter(({ name }) => isParticiple(name))
    expect(bare.map(({ file, name }) => `${file}: ${name}`)).to.deep.equal([])
  })

  it('is that of a type in at most three files', () => {
    const types = exports.filter(({ kind }) => ['type', 'interface', 'class'].includes(kind))
    // A class and the type of the same name are one.
    const files = Map.groupBy(types, ({ name }) => name)
    const common = [...files].filter(([, list]) => new Set(list.map(({ file }) => file)).size > 3)
    expect(common.map(([name, list]) => `${name}: ${list.map(({ file }) => file).join(', ')}`)).to.deep.equal([])
  })
})
