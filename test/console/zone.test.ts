import { expect } from 'chai'
import { momentOf, offsetText, wallOf, wallText, zonedText } from '#http/console/web/zone.ts'

const berlin = 'Europe/Berlin'

describe('times of a zone', () => {
  it('are those of its wall clock, with its distance to UTC', () => {
    expect(zonedText('2030-01-07T19:00:00Z', berlin)).to.match(/Mon.*Jan 7, 2030.*20:00 \(UTC\+1\)$/)
    expect(zonedText('2030-07-08T18:00:00Z', berlin)).to.match(/Mon.*Jul 8, 2030.*20:00 \(UTC\+2\)$/)
    expect(wallText('2030-03-31T01:00:00Z', berlin)).to.match(/Sun.*Mar 31, 2030.*03:00$/)
    expect(offsetText('2030-01-07T00:00:00Z', 'America/St_Johns')).to.equal('UTC−3:30')
    expect(offsetText('2030-01-07T00:00:00Z', 'Mars/Phobos')).to.equal('UTC')
  })

  it('become moments: the first of two, and behind a gap as long behind it', () => {
    for (const [wall, zone, moment] of [
      ['2030-01-07T20:00', berlin, '2030-01-07T19:00:00.000Z'],
      ['2030-07-08T20:00', berlin, '2030-07-08T18:00:00.000Z'],
      // 02:00 becomes 03:00 on 31 March, and 03:00 becomes 02:00 on 27 October.
      ['2030-03-31T02:30', berlin, '2030-03-31T01:30:00.000Z'],
      ['2030-03-31T03:00', berlin, '2030-03-31T01:00:00.000Z'],
      ['2030-10-27T02:30', berlin, '2030-10-27T00:30:00.000Z'],
      ['2030-10-27T03:00', berlin, '2030-10-27T02:00:00.000Z'],
      ['2030-01-07T20:00', 'Asia/Kolkata', '2030-01-07T14:30:00.000Z'],
      ['2030-01-07T20:00', 'Mars/Phobos', undefined],
      ['soon', berlin, undefined],
    ] as const)
      expect(momentOf(wall, zone), `${wall} ${zone}`).to.equal(moment)
  })

  it('come back as they were typed', () => {
    for (const wall of ['2030-01-07T20:00', '2030-07-08T00:15'])
      expect(wallOf(momentOf(wall, berlin)!, berlin)).to.equal(wall)
  })
})
