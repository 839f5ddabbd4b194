/** The example for Backstage asks for a report that there is, narrowed as the report takes it. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { textInput } from '#http/edge/request/decode.ts'
import { reports } from '#http/report/index.ts'

const text = (file: string): string => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')
const example = <T>(file: string): T => load(text(`examples/backstage/${file}`)) as T

describe('the example for Backstage', () => {
  const series = reports.find(({ path }) => path === '/reports/costs/series')!
  const read = textInput(series.query!, 'query')
  const asked = (filter: string) => {
    const query = new URLSearchParams(filter)
    return read(Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join()])))
  }

  it('has annotations that the report takes', () => {
    const { metadata } = example<{ metadata: { annotations: Record<string, string> } }>('catalog-info.yaml')
    expect(asked(metadata.annotations['tidemark/filter']!)).to.deep.include({
      cost: 'effective',
      filter: { 'tag:service': ['checkout'] },
    })
    const shown = Array.from(text('backstage.md').matchAll(/^ +\| [^|]+ \| `([^`]+=[^`]+)` \|$/gm), ([, one]) => one!)
    expect(shown).to.have.length(4)
    for (const filter of shown) expect(() => asked(filter), filter).to.not.throw()
    expect(() => asked('filter[tags:service]=checkout')).to.throw('is not a known parameter')
  })

  it('reads through its proxy alone, and calls the report by its parameters', () => {
    const { proxy } = example<{ proxy: { endpoints: Record<string, { allowedMethods: string[] }> } }>('app-config.yaml')
    expect(proxy.endpoints['/tidemark']!.allowedMethods).to.deep.equal(['GET'])
    const card = text('examples/backstage/cost-card.tsx')
    expect(card).to.include('/tidemark/reports/costs/series?')
    const given = Array.from(card.matchAll(/\['(\w+)', '(\w+)'\]/g), ([, name, value]) => `${name}=${value}`)
    expect(given).to.have.length(3)
    expect(() => asked(given.join('&'))).to.not.throw()
  })
})
