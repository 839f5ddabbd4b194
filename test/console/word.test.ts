import { expect } from 'chai'
import { dayText, newestFirst, timeText } from '#http/console/web/day.ts'
import { isOf, kindsOf, secondsText } from '#http/console/web/view/live/event-text.ts'
import { liveEvents } from '#streams/live/messages.ts'

describe('kinds of events', () => {
  it('are of every event that is told, each of one, and of those that are not known yet by their own word', () => {
    const known = kindsOf([]).map(([kind]) => kind)
    const of = (name: string, kinds: readonly string[]) => kinds.filter((kind) => isOf(name, kind))
    for (const { name } of liveEvents) expect(of(name, known), name).to.have.length(1)
    expect(kindsOf(['forest_fire.seen', 'forest_fire.out', 'bill.changed']).slice(known.length)).to.deep.equal([
      ['forest_fire.', 'forest fire'],
    ])
  })
})

describe('times', () => {
  it('have 24 hours and their zone', () => {
    expect(timeText('2026-11-20T16:05:00Z')).to.equal('Nov 20, 2026, 16:05 UTC')
    expect(timeText('2026-11-20T00:05:00Z')).to.equal('Nov 20, 2026, 00:05 UTC')
  })

  it('that do not exist stay as they are written', () => {
    for (const text of ['tomorrow', '2026-13-15', '2026-02-30', '2026-1-5x'])
      expect([dayText(text), timeText(text)]).to.deep.equal([text, text])
    expect(dayText('2026-02-28')).to.equal('Feb 28, 2026')
  })

  it('that something waits are as exact as is of use', () => {
    expect([0.04, 9.96, 12.4, 119, 180].map(secondsText)).to.deep.equal(['0 s', '10 s', '12 s', '119 s', '3 min'])
  })

  it('order what happened, the newest first, and leave what is of one moment as it came', () => {
    const at = (time: string, id: string) => ({ at: `2026-01-05T${time}Z`, id })
    const events = [at('10:00:01.000', 'a'), at('10:00:02.000', 'b'), at('10:00:01.000', 'c'), at('10:00:01.000', 'd')]
    expect(newestFirst([...events, { at: '2026-01-05', id: 'e' }]).map(({ id }) => id)).to.deep.equal([
      'b',
      'a',
      'c',
      'd',
      'e',
    ])
  })
})
