/** Who did something, by name where the API tells names: to administrators. Others read whether it was themselves. */
import { useReport } from '../report.ts'
import { may, session } from '../session.ts'

export type NameOf = (id: string) => string

/** Who it was, as reports write it, with the name that the API tells beside it: of people the name, or that it was one of them. */
export function whoText(actor: string, name: string | null | undefined): string {
  const [, kind = '', id = ''] = /^(user|manual|bulk):(.*)$/s.exec(actor) ?? []
  if (kind === '') return actor
  if (kind === 'bulk') return 'bulk action'
  return id === session.value?.me.user?.id
    ? 'you'
    : (name ?? (id.startsWith('pat:') ? 'an organization token' : 'someone'))
}

/** Of what the service does by itself. */
const services = new Set(['', 'system'])

export function useNameOf(): NameOf {
  const { data } = useReport('GET /members', { when: may('admin') })
  const names = new Map((data ?? []).map(({ userID, name, email }) => [userID, name || email]))
  const own = session.value?.me.user?.id
  return (id) => {
    if (services.has(id)) return 'Tidemark'
    if (id === own) return 'you'
    return names.get(id) ?? (id.startsWith('pat:') ? 'an organization token' : may('admin') ? id : 'someone else')
  }
}
