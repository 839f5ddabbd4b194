import { chance } from './prng.ts'

const owners: Readonly<Record<string, { owner: string; center: string }>> = {
  storefront: { owner: 'ana.silva@example.com', center: 'cc-1010' },
  platform: { owner: 'jonas.weber@example.com', center: 'cc-1020' },
  data: { owner: 'mei.tanaka@example.com', center: 'cc-1030' },
  finance: { owner: 'omar.haddad@example.com', center: 'cc-1040' },
  mobile: { owner: 'lena.novak@example.com', center: 'cc-1050' },
}

const longEnv: Readonly<Record<string, string>> = { prod: 'Production', staging: 'Stage', dev: 'Development' }

/** Realistic tags: most are complete, about a tenth are missing, about another tenth have a different spelling. */
export function tagsOf(seed: string, uid: string, teamAndEnv: string): Record<string, string> {
  const [team = '', env = ''] = teamAndEnv.split('/')
  const { owner = '', center = '' } = owners[team] ?? {}
  const draw = chance(seed, uid, 'tags')
  if (draw < 0.12) return {}
  if (draw < 0.16) return { Environment: longEnv[env] ?? env, Team: team, Owner: owner }
  if (draw < 0.2) return { env: env.toUpperCase(), team: `${team}-team`, 'cost-center': center }
  if (draw < 0.25) return { env, owner }
  return { env, team, owner, 'cost-center': center }
}
