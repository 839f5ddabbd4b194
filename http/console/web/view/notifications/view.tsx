/** Who is told of what, by which channel, and what became of it. */
import { Head } from '../../part/head.tsx'
import { ViewTabs, tabAsked } from '../../part/tabs.tsx'
import { Channels } from './channels.tsx'
import { Mails } from './mails.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { Subscriptions } from './subscriptions.tsx'

const tabs = [
  { name: 'channels', title: 'Channels', part: Channels },
  { name: 'subscriptions', title: 'Subscriptions', part: Subscriptions },
  { name: 'sent', title: 'Deliveries', part: DeliveryLog },
  { name: 'mails', title: 'Your emails', part: Mails },
] as const

export function View() {
  const { part: Part } = tabAsked(tabs)
  return (
    <>
      <Head title="Notifications" />
      <ViewTabs view="notifications" label="Notifications" tabs={tabs} />
      <Part />
    </>
  )
}
