import { expect } from 'chai'
import fc from 'fast-check'
import { textInput } from '#http/edge/request/decode.ts'
import type { InputError } from '#http/edge/problem.ts'
import type { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { toPage, pageHeaders, paging, slice, type Page } from '#http/edge/parameter/paging.ts'

const read = textInput(t.Object(paging(20, 100)), 'query') as (texts: Record<string, string>) => Page

describe('http paging', () => {
  it('says whether anything is left after the page [GEN-12]', () => {
    expect(toPage({ items: ['a', 'b'], total: 3 }, { page: 1, limit: 2 })).to.deep.equal({
      items: ['a', 'b'],
      total: 3,
      page: 1,
      limit: 2,
      hasMore: true,
    })
    expect(toPage({ items: ['c'], total: 3 }, { page: 2, limit: 2 }).hasMore).to.equal(false)
    expect(toPage({ items: ['c', 'd'], total: 4 }, { page: 2, limit: 2 }).hasMore).to.equal(false)
  })

  it('links to the pages beside this one, keeping the filters', () => {
    expect(pageHeaders('/resources?search=a%20b&page=2&limit=500', 250, { page: 2, limit: 100 })).to.deep.equal({
      'X-Total-Count': '250',
      Link: '</resources?search=a+b&page=3&limit=100>; rel="next", </resources?search=a+b&page=1&limit=100>; rel="prev"',
    })
    expect(pageHeaders('/resources', 20, { page: 1, limit: 20 })).to.deep.equal({ 'X-Total-Count': '20' })
  })

  it('takes any limit as at most the maximum, and says which it took [LIM-01]', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (limit) => {
        expect(read({ limit: String(limit) })).to.deep.equal({ page: 1, limit: limit > 100n ? 100 : Number(limit) })
      }),
    )
  })

  it('refuses a limit above the maximum in a strict request, naming the maximum', () => {
    const strict = (texts: object) => (read as (texts: object, isStrict: boolean) => Page)(texts, true)
    expect(strict({ limit: '100' })).to.deep.equal({ page: 1, limit: 100 })
    const refused = (texts: object) => {
      try {
        return strict(texts)
      } catch (error) {
        const { code, detail } = error as Fault
        return [code, ...(detail['errors'] as InputError[]).map((one) => `${one.name}: ${one.message}`)]
      }
    }
    expect(refused({ limit: '101' })).to.deep.equal(['limit_too_large', 'limit: must be at most 100, got 101'])
    expect(refused({ limit: '101', size: '5' })).to.deep.include.members(['invalid_parameter'])
  })

  it('refuses every text that is no positive whole number [LIM-02]', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer({ max: 0 }).map(String), fc.double({ noInteger: true }).map(String)),
        fc.constantFrom('page', 'limit'),
        (text, name) => {
          fc.pre(!/^[+]?0*[1-9]\d*(\.0+)?$/.test(text))
          expect(() => read({ [name]: text })).to.throw(name)
        },
      ),
    )
  })

  it('shows every element once over the pages of any size [GEN-11]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 120 }), (total, size) => {
        const all = Array.from({ length: total }, (_, i) => i)
        const seen: number[] = []
        for (let page = 1, more = true; more; page++) {
          const q = read({ page: String(page), limit: String(size) })
          const { offset, limit } = slice(q)
          const answer = toPage({ items: all.slice(offset, offset + limit), total }, q)
          seen.push(...answer.items)
          more = answer.hasMore
        }
        expect(seen).to.deep.equal(all)
      }),
    )
  })
})
