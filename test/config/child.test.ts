import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { processBirth, supervise } from '#config/embedded/child.ts'
import { testFolder } from '#test/harness/stores.ts'
import { until } from '#test/harness/toy.ts'

describe('a server that is kept beside us', () => {
  it('is gone when it is told to end, at whatever moment of its start', async () => {
    const folder = testFolder()
    for (let n = 0; n < 12; n++) {
      const told = path.join(folder, `${n}.told`)
      const over = new AbortController()
      const starting = supervise(
        {
          name: 'never ready',
          command: ['/bin/sh', '-c', `echo $$ > ${told}; exec sleep 60`],
          cwd: folder,
          ready: /ready/,
          pidFile: path.join(folder, `${n}.pid`),
          log: () => {},
        },
        over.signal,
      ).catch((error: unknown) => error)
      // From before its shell has said which process it is, on.
      for (let turn = 0; turn < n; turn++) await sleep(1)
      over.abort()
      expect(await starting, String(n)).to.be.instanceOf(Error)
      const pid = existsSync(told) ? Number(readFileSync(told, 'utf8')) : 0
      if (pid > 0) await until('its end', () => processBirth(pid) === undefined)
    }
  })
})
