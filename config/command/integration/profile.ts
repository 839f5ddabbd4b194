/** Profiles: products elsewhere that commands can be pointed to. */
import { readFileSync } from 'node:fs'
import { command } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { argument, optional, readAs, requiredText } from '#config/command/line/flag.ts'
import { askRemote } from '#config/command/line/remote.ts'
import { listOf } from '#config/command/line/table.ts'
import { localName, readProfiles, writeProfiles } from '#config/settings/profile.ts'
import { readSettings } from '#config/settings/settings.ts'

const name = readAs(argument('NAME', 'Name of the profile: letters, digits, dots, dashes'), (given, about) => {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(given)) return given
  throw new UsageError(`${about} must have 1 to 64 letters, digits, dots or dashes`)
})

const list = listOf<{ name: string; url: string; org?: string | undefined; isCurrent: boolean }>(
  { '': ({ isCurrent }) => (isCurrent ? '*' : ' '), NAME: 'name', URL: 'url', ORG: 'org' },
  'No profiles.',
)

/** @throws UsageError if there is no token */
function tokenOf(file: string | undefined): string {
  const token = file === undefined ? readSettings().token : readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  if (token) return token
  throw new UsageError('No access token. Give --token-file FILE (- for stdin), or set TIDEMARK_TOKEN.')
}

/** @throws UsageError for a name that no profile has */
function checkKnown(given: string): void {
  if (given === localName || Object.hasOwn(readProfiles().profiles, given)) return
  throw new UsageError(`There is no profile ${given}. Run "tidemark profile list" to see all.`)
}

export const profileCommands: readonly Command[] = [
  command({
    name: 'profile add',
    summary: 'Save the address and token of a Tidemark elsewhere, and select it',
    takes: {
      name,
      url: readAs(requiredText('URL', 'Its address'), (given, about) => {
        if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given.replace(/\/$/, '')
        throw new UsageError(`${about} must start with http:// or https://, got ${given}`)
      }),
      'token-file': optional('FILE', 'File with an access token, - for stdin; default: TIDEMARK_TOKEN'),
      org: optional('ID', 'Organization ID, for a session token that is valid in several'),
    },
    run: async ({ name, url, 'token-file': file, org }) => {
      if (name === localName) throw new UsageError(`${localName} is the Tidemark on this machine`)
      const profile = { url, token: tokenOf(file), org }
      // A profile that does not work is not saved.
      await askRemote(profile, 'GET', '/auth/me')
      writeProfiles({ current: name, profiles: { ...readProfiles().profiles, [name]: profile } })
      return { data: { name, url }, text: `Commands now call ${url}. Back to this machine: tidemark profile use local` }
    },
  }),
  command({
    name: 'profile list',
    summary: 'List the saved profiles',
    takes: {},
    run: () => {
      const { current, profiles } = readProfiles()
      return list(
        Object.entries(profiles).map(([one, { url, org }]) => ({ name: one, url, org, isCurrent: one === current })),
      )
    },
  }),
  command({
    name: 'profile use',
    summary: 'Select a profile; local is the Tidemark on this machine',
    takes: { name },
    run: ({ name }) => {
      checkKnown(name)
      const { profiles } = readProfiles()
      writeProfiles(name === localName ? { profiles } : { current: name, profiles })
      return { data: { name }, text: `Commands now call ${name === localName ? 'this machine' : profiles[name]!.url}.` }
    },
  }),
  command({
    name: 'profile remove',
    summary: 'Remove a profile with its token',
    takes: { name },
    run: ({ name }) => {
      checkKnown(name)
      const { current, profiles } = readProfiles()
      const { [name]: _removed, ...others } = profiles
      writeProfiles({ ...(current !== undefined && current !== name && { current }), profiles: others })
      return { data: { name }, text: `Profile ${name} was removed.` }
    },
  }),
]
