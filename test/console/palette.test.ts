import { expect } from 'chai'
import { fits, toFitting, toGroups, type PaletteEntry } from '#http/console/web/palette/entry.ts'

const entry = (title: string, detail = '', group = 'Views'): PaletteEntry => ({
  id: title,
  group,
  title,
  detail,
  icon: 'costs',
  run: () => undefined,
})
const titles = (entries: readonly PaletteEntry[]) => entries.map(({ title }) => title)

describe('the palette of the console', () => {
  it('fits all words of a text in any order, in the title or in what stands next to it', () => {
    const one = entry('Allocation rules', 'Allocation')
    expect(['rules', 'RULES alloc', 'cation', 'rules  all'].map((text) => fits(one, text))).to.deep.equal([
      true,
      true,
      true,
      true,
    ])
    expect(['rules costs', 'x'].map((text) => fits(one, text))).to.deep.equal([false, false])
  })

  it('has titles that begin with the text first, and others in the order in which they were', () => {
    const all = [entry('Event readiness'), entry('Inventory'), entry('Event plan'), entry('Live', 'event')]
    expect(titles(toFitting(all, 'ev', 9))).to.deep.equal(['Event readiness', 'Event plan', 'Live'])
    expect(titles(toFitting(all, 'in', 9))).to.deep.equal(['Inventory', 'Event readiness'])
    expect(titles(toFitting(all, 'e', 2))).to.deep.equal(['Event readiness', 'Event plan'])
  })

  it('puts the lines of a group together, in the order in which groups come first', () => {
    const all = [entry('a', '', 'Recently seen'), entry('b'), entry('c', '', 'Recently seen')]
    expect(toGroups(all).map(([group, some]) => [group, titles(some)])).to.deep.equal([
      ['Recently seen', ['a', 'c']],
      ['Views', ['b']],
    ])
  })
})
