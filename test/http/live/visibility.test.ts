import { expect } from 'chai'
import { sees } from '#http/live/visibility.ts'
import { customRights, systemRights, type Permission, type ReportScope } from '#http/identity/organization/role.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { liveEvents } from '#streams/live/messages.ts'
import { caller } from '#test/http/serving.ts'

const part = (
  scope: Partial<ReportScope>,
  permissions: readonly Permission[] = ['service.view', 'space.view'],
): Caller => ({
  ...caller(),
  ...customRights({
    id: 'r',
    permissions,
    reportScope: { all: false, cloudAccountIDs: [], teamIDs: [], ...scope },
  }),
})
const names = liveEvents.map(({ name }) => name)
const heard = (who: Caller, about?: Record<string, string>, teams: string[] = []) =>
  names.filter((event) => sees(who, { event, data: {}, ...(about && { about }) }, new Set(teams)))

describe('who hears what', () => {
  it('owners hear everything, viewers all but what is for administrators', () => {
    expect(heard({ ...caller(), ...systemRights('owner') }, {})).to.deep.equal(names)
    expect(heard({ ...caller(), ...systemRights('viewer') }, {})).to.deep.equal(
      names.filter((name) => name !== 'dead_letter.recorded'),
    )
  })

  it('nobody hears of the inventory without the right to it, nor what this version does not know', () => {
    const costsAlone = part({ all: true }, ['service.view'])
    const inventory = ['refresh.progress', 'inventory.changed', 'dead_letter.recorded']
    expect(heard(costsAlone, {})).to.deep.equal(names.filter((name) => !inventory.includes(name)))
    expect(sees(caller(), { event: 'strange', data: {} }, new Set())).to.equal(false)
  })

  it('who sees a part hears what is about it, and what is about nobody in particular', () => {
    const one = part({ cloudAccountIDs: ['a'], teamIDs: ['t'] })
    const all = names.filter((name) => name !== 'dead_letter.recorded')
    expect(heard(one, { cloudAccountID: 'a' })).to.deep.equal(all)
    expect(heard(one, { cloudAccountID: 'b', teamID: 't' })).to.deep.equal(all)
    expect(heard(one)).to.deep.equal(all)
    expect(heard(one, { cloudAccountID: 'b', teamID: 'u' })).to.deep.equal([])
    expect(heard(one, {})).to.deep.equal([])
  })

  it('of an account in which its team has costs it hears that sums and inventory changed, and no more', () => {
    const one = part({ teamIDs: ['t'] })
    expect(heard(one, { cloudAccountID: 'a' }, ['a'])).to.deep.equal(['costs.changed', 'inventory.changed'])
  })
})
