/** Above every view: the organization, where the page is, the search, what one was told, and who is signed in. */
import { useState } from 'preact/hooks'
import { CopyLink } from './copy-link.tsx'
import { Bell } from './bell.tsx'
import { SearchButton } from './search-button.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { SaveView } from '../part/saved-views.tsx'
import { problemOf, type Problem } from '../problem.ts'
import { currentRoute, go, params } from '../router.ts'
import { enter, may, roleText, session, signOut } from '../session.ts'
import { liveState } from '../live.ts'
import { switchTheme, theme } from '../theme.ts'
import type { View } from '../view/index.ts'

const live = { live: 'Live: changes appear immediately', connecting: 'Connecting…', away: 'Not live: reconnecting' }

/** Of the address what means the same in another organization; the rest names things of this one. */
const everywhere = ['range', 'from', 'to'] as const

const inAnother = (): void =>
  go(currentRoute.value.view, Object.fromEntries(everywhere.map((name) => [name, params(name)])), { replace: true })

function Organization() {
  const { tenants, orgID } = session.value!
  const [problem, setProblem] = useState<Problem | undefined>()
  if (orgID === null) return null
  if (tenants.length < 2) return <strong class="clip">{tenants[0]?.name ?? ''}</strong>
  const change = (event: Event) => {
    const select = event.target as HTMLSelectElement
    setProblem(undefined)
    enter(select.value, inAnother).catch((error: unknown) => {
      select.value = orgID
      setProblem(problemOf(error))
    })
  }
  return (
    <>
      <label>
        <span class="unseen">Organization</span>
        <select onChange={change}>
          {tenants.map(({ id, name }) => (
            <option key={id} value={id} selected={id === orgID}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {problem && <span role="alert">{problem.message}</span>}
    </>
  )
}

/** @param isIn whether somebody is in an organization: who is not in yet is told of nothing */
export const Head = ({ view, isIn }: { view: View | undefined; isIn: boolean }) => (
  <header class="head">
    <Organization />
    {isIn && <Inside view={view} />}
    <span class={isIn ? 'own' : 'own tools'}>
      <Theme />
      <Who />
    </span>
  </header>
)

/** What is there for members. */
function Inside({ view }: { view: View | undefined }) {
  const mayHear = may('service.view')
  return (
    <>
      <Breadcrumbs />
      {mayHear && (
        <span class={`live ${liveState.value}`} role="status" title={live[liveState.value]}>
          <span class="dot" aria-hidden="true" />
          {liveState.value === 'away' ? 'offline' : liveState.value}
        </span>
      )}
      <SearchButton />
      <span class="tools">
        {view && <SaveView title={view.title} />}
        {view && <CopyLink />}
        {mayHear && <Bell />}
      </span>
    </>
  )
}

const Theme = () => (
  <button
    type="button"
    class="quiet"
    onClick={switchTheme}
    aria-label={`Use the ${theme.value === 'dark' ? 'light' : 'dark'} theme`}
  >
    {theme.value === 'dark' ? 'Light' : 'Dark'}
  </button>
)

function Who() {
  const { user, me } = session.value!
  return (
    <details class="who">
      <summary>
        <span class="clip" dir="auto" title={user.name}>
          {user.name || user.email}
        </span>
      </summary>
      <div class="pop">
        <p class="wrap">{user.email}</p>
        <p class="faint">role: {roleText(me.role)}</p>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </div>
    </details>
  )
}
