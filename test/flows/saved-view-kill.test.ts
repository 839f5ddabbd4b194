// tier: deep
/** Saved views that are mailed while engines are killed: as mails are taken, and while they are made. */
import { expect } from 'chai'
import { chaosWorld, lanesRun, type ChaosWorld } from '#test/harness/chaos.ts'
import {
  fallDue,
  mailed,
  mailingStands,
  mailingWanted,
  mailServer,
  plantMailing,
  type MailServer,
} from '#test/harness/mailing-load.ts'
import { amount } from '#test/harness/tier.ts'

/** When each round kills both engines: as so many mails of it were taken, before or after the last is answered, or so many milliseconds in. */
const allRounds = [
  { taken: 5, isAnswered: false },
  { taken: 11, isAnswered: true },
  { afterMs: 60 },
  { afterMs: 250 },
] as const
const rounds = allRounds.filter((_, n) => n % amount(2, 2, 1) === 0)

describe('mailing saved views under kills', () => {
  let world: ChaosWorld
  let server: MailServer
  before(async () => {
    server = await mailServer()
    world = await chaosWorld(2, { CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'), SMTP_URL: server.url })
  })
  after(async () => {
    await world?.close()
    server?.close()
  })

  const strike = () => {
    for (const _ of [1, 2]) world.engines.kill(0)
  }

  it(`makes one mail of each due moment for each recipient, and of one that was taken twice it is the same by its Message-ID: ${rounds.length} kills of two engines`, async function () {
    this.timeout(400_000)
    const mailing = await plantMailing(world, 8, 3)
    for (const [n, round] of rounds.entries()) {
      await lanesRun(world)
      const before = server.taken.length
      let isStruck = false
      const once = () => {
        isStruck = true
        strike()
      }
      server.onTaken = (done) => {
        const isTime = 'taken' in round && !isStruck && server.taken.length - before >= round.taken
        if (isTime && !round.isAnswered) once()
        done()
        if (isTime && round.isAnswered) once()
      }
      const dueAt = await fallDue(world, mailing, n)
      if ('afterMs' in round) setTimeout(once, round.afterMs)
      await mailed(world, mailing, dueAt)
      expect(isStruck, `round ${n}`).to.equal(true)
    }
    expect(await mailingStands(world, server)).to.deep.equal(mailingWanted(mailing, rounds.length))
    expect(world.engines.unaskedEnds).to.deep.equal([])
  })
})
