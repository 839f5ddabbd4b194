import { expect } from 'chai'
import { NotificationChannel } from '#actors/notification/entity.ts'
import { webhookShown } from '#http/notification/body.ts'

describe('the address of a chat', () => {
  const row = { orgId: 'o1', id: 'c-1', webhookUrl: 'sealed', webhookShown: 'https://chat.example/...' }
  const channel = Object.assign(new NotificationChannel(), row)
  const shown = (permissions: string[], open: () => unknown) =>
    webhookShown({ permissions: new Set(permissions) as never }, channel, open)

  it('is shown to who may change it, and masked to others [G-94]', () => {
    expect(shown(['service.update'], () => 'https://chat.example/T0/x')).to.equal('https://chat.example/T0/x')
    expect(shown(['service.view'], () => 'https://chat.example/T0/x')).to.equal('https://chat.example/...')
  })

  it('is masked to all where its key is missing, and hides no other channel by that', () => {
    const open = () => {
      throw new Error('no such key')
    }
    expect(shown(['service.update'], open)).to.equal('https://chat.example/...')
  })
})
