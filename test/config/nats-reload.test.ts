/** What the service asks of NATS while that reads its accounts anew, which takes its streams away for a moment. */
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { expect } from 'chai'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { newPassword, userAccountsText } from '#config/embedded/nats-accounts.ts'
import { embedded, lanes, shipped, type NatsUnderTest } from '#test/harness/nats.ts'
import { natsAt } from '#test/harness/stores.ts'

for (const [name, start] of Object.entries({ 'the embedded server': embedded, 'the shipped configuration': shipped })) {
  describe(`accounts that are read anew, on ${name}`, () => {
    let server: NatsUnderTest
    let service: NatsConnection
    before(async function () {
      this.timeout(180_000)
      server = await start()
      service = await connect(natsAt(server.url))
    })
    after(async () => {
      await service.close()
      await server.stop()
    })

    it('hide no stream from a command that begins meanwhile', async () => {
      const log = await NatsLog.open(service)
      const owner = 'shop'
      await log.createStreams(lanes, { laneBytesMax: 2 ** 26, owner })
      let isOver = false
      const telling = (async () => {
        let told = 0
        for (; !isOver; told++) {
          const user = { id: `producer-${told}`, kind: 'producer' as const, orgId: `org-${told}`, ...newPassword() }
          await server.setUsers(userAccountsText([user]))
        }
        return told
      })()
      const asking = (async () => {
        for (let n = 0; n < 20; n++) expect(await log.owner()).to.equal(owner)
        await log.createStreams(lanes, { laneBytesMax: 2 ** 26, owner })
      })()
      await asking.finally(() => (isOver = true))
      expect(await telling).to.be.greaterThan(2)
    })
  })
}
