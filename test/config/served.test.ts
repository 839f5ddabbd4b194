import { expect } from 'chai'
import { routes, site } from '#http/index.ts'
import { servedWith } from '#config/wiring/served-routes.ts'
import { readSettings } from '#config/settings/settings.ts'
import { version } from '#config/process/version.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { noEdge } from '#test/harness/site.ts'
import { scopeOf, served } from '#test/http/serving.ts'

/** Operations that are served with a setting alone, by its variable. */
const optional = {
  GITLAB_WEBHOOK_SECRET: 'POST /webhooks/gitlab',
  BITBUCKET_WEBHOOK_SECRET: 'POST /webhooks/bitbucket',
  AZURE_DEVOPS_WEBHOOK_SECRET: 'POST /webhooks/azure-devops',
  BUILD_CALLBACK_SECRET: 'POST /build-callbacks/{revisionID}',
} as const

const environments: readonly { of: string; env: Record<string, string> }[] = [
  { of: 'none of them', env: {} },
  { of: 'one of them', env: { GITLAB_WEBHOOK_SECRET: 'a secret' } },
  { of: 'all of them', env: Object.fromEntries(Object.keys(optional).map((name) => [name, 'a secret'])) },
]

for (const { of, env } of environments)
  describe(`the client, with ${of} set that bring routes`, () => {
    const given = site(servedWith(readSettings(env), routes), { version, ready: async () => [], within: noEdge })
    const edge = served(given, scopeOf())

    it('is the same from the address and from the command, and has what is served', async () => {
      const printed = await inProcess(env, 'client')
      const text = await (await edge.get('/client.ts')).text()
      expect([printed.code, printed.stdout]).to.deep.equal([0, text.replace(/\n*$/, '\n')])
      const named = Object.values(optional).filter((name) => text.includes(`  "${name}": {`))
      const wanted = Object.entries(optional).flatMap(([name, operation]) => (name in env ? [operation] : []))
      expect(named).to.deep.equal(wanted)
    })
  })
