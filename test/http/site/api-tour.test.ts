/** The example of a generated client asks for what the document has, by its names. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { routes, site } from '#http/index.ts'
import { documentOf } from '#http/site/document.ts'
import { noEdge } from '#test/harness/site.ts'

type Json = Record<string, any>

/** As generators for Python write names. */
const snake = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()

describe('the example of a generated Python client', () => {
  const all = site(routes, { version: '1', ready: async () => [], within: noEdge })
  const { paths } = documentOf(all, { version: '1', url: '' }) as Json
  const operations = new Map(
    Object.values<Json>(paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .map((one) => [`${snake(one['tags']?.[0] ?? 'default')}.${snake(one['operationId'])}`, one]),
  )
  const script = readFileSync(new URL('../../../docs/examples/api-tour.py', import.meta.url), 'utf8')
  const calls = Array.from(script.matchAll(/\bcall\("([\w.]+)"(.*)\)$/gm), ([, name, given]) => ({
    name: name!,
    // Arguments of the call itself, not members of its body.
    given: Array.from(given!.replaceAll(/\{.*\}/g, '').matchAll(/,\s(\w+)=/g), ([, argument]) => argument!),
  }))

  it('makes sixty calls of operations that there are', () => {
    expect(calls.length).to.be.at.least(60)
    expect(calls.filter(({ name }) => !operations.has(name)).map(({ name }) => name)).to.deep.equal([])
  })

  it('gives them parameters that they have', () => {
    const unknown = calls.flatMap(({ name, given }) => {
      const { parameters, requestBody } = operations.get(name)!
      const own = parameters.map((one: Json) => snake(one['name']))
      const known = [...own, 'expect', ...(requestBody ? ['body'] : []), ...(own.includes('from') ? ['from_'] : [])]
      return given.filter((argument) => !known.includes(argument)).map((argument) => `${name} ${argument}`)
    })
    expect(unknown).to.deep.equal([])
  })
})
