/** The real names behind the interface's neutral stand-ins, in the interface's order. The one place to change them. */
export const providers = ['aws', 'gcp', 'azure'] as const
export type Provider = (typeof providers)[number]

export const chats = ['slack', 'teams', 'google_chat'] as const

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'cloud-a': 'aws',
    'cloud-b': 'gcp',
    'cloud-c': 'azure',
    chat_a: 'slack',
    chat_b: 'teams',
    chat_c: 'google_chat',
    oauth_a: 'google',
    oauth_b: 'github',
  }),
)

/** The real name for a stand-in (`cloud-a`, also as the prefix of a type); anything else is itself. Stand-ins are read, never written. */
export function realName(name: string): string {
  const whole = aliases.get(name)
  if (whole) return whole
  for (const [alias, real] of aliases) if (name.startsWith(`${alias}-`)) return real + name.slice(alias.length)
  return name
}

export const isProvider = (name: string): name is Provider => (providers as readonly string[]).includes(name)
