/** The view of the address: its modules are loaded when it is first opened. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import { Empty, Loading, ProblemMessage } from '../part/report-content.tsx'
import { Problem, problemOf } from '../problem.ts'
import { currentRoute, hrefOf } from '../router.ts'
import { may, roleText, session } from '../session.ts'
import { useSettledDay } from '../settled-day.ts'
import { views, type View } from '../view/index.ts'

/** Views by their name, once they are here. */
const loaded = new Map<string, ComponentType>()

async function load({ name, load: fetchView }: View): Promise<ComponentType> {
  const { View: component } = await fetchView()
  loaded.set(name, component)
  return component
}

/** Whether the view of the address is here, or cannot be had: what it requests goes out with what the frame requests. */
export const isFirstViewLoaded = signal(false)

/** Begins to load the view of the address, before it is known who is signed in. */
export function loadFirstView(): void {
  const view = views.find(({ name }) => name === currentRoute.peek().view)
  const end = () => {
    isFirstViewLoaded.value = true
  }
  if (view) load(view).then(end, end)
  else end()
}

export function ViewLoader({ view }: { view: View | undefined }) {
  const [Loaded, setLoaded] = useState(() => view && loaded.get(view.name))
  const [problem, setProblem] = useState<Problem | undefined>()
  const isSettledDayKnown = useSettledDay()
  useEffect(() => {
    if (!view || Loaded) return
    load(view).then(
      (component) => setLoaded(() => component),
      (error: unknown) => void missing(error, setProblem),
    )
  }, [view])
  if (!view)
    return (
      <Empty title="This view does not exist.">
        <p>
          <a href={hrefOf('overview')}>Go to Overview</a>
        </p>
      </Empty>
    )
  if (!may(view.permission)) return <NoPermission view={view} />
  if (problem) return <ProblemMessage problem={problem} again={() => location.reload()} />
  return Loaded && (isSettledDayKnown || view.needsNoSettledDay) ? <Loaded /> : <Loading />
}

/** How long to wait before it is looked again whether something answers, milliseconds. */
const awayMs = 1000

const isThere = (): Promise<boolean> =>
  fetch('./', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * A file that cannot be had. While nothing answers the page says so, and is loaded anew once something does: a browser may
 * remember that a module was not there. One that is gone is of a version that was replaced: loaded anew too, once.
 */
async function missing(error: unknown, show: (problem: Problem) => void): Promise<void> {
  if (await isThere()) {
    const at = Number(sessionStorage.getItem('renewed') ?? 0)
    if (Date.now() - at < 60_000) return show(problemOf(error))
  } else {
    show(new Problem(0, { code: 'waiting', detail: 'Cannot reach Tidemark. Retrying automatically.' }))
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, awayMs))
  }
  sessionStorage.setItem('renewed', String(Date.now()))
  location.reload()
}

const NoPermission = ({ view }: { view: View }) => (
  <Empty title={`Your role cannot view ${view.title.toLowerCase()}.`}>
    <p>
      {view.permission === 'admin' ? (
        'Only owners and admins of the organization can see it'
      ) : (
        <>
          It requires the permission <code>{view.permission}</code>
        </>
      )}
      ; your role is <strong>{roleText(session.value?.me.role ?? '')}</strong>. An administrator of your organization
      can {view.permission === 'admin' ? 'give you another role' : 'grant it to you'}.
    </p>
  </Empty>
)
