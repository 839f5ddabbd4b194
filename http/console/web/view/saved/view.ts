/** Views that are saved: to be renamed, shared, deleted, and mailed. */
import { html } from '../../html.ts'
import { go, hrefOf, param } from '../../router.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { useSaved, type SavedViews } from '../../part/saved-views.ts'
import { Empty, ReportContent } from '../../part/report-content.ts'
import { Edit } from './edit.ts'
import { List } from './list.ts'
import { Mailing } from './mailing.ts'

export function View() {
  const report = useSaved()
  const opened = report.data?.find(({ id }) => id === param('saved'))
  const isEdited = opened?.mayChange === true && param('edit') !== undefined
  const close = () => go('saved', isEdited ? { saved: opened.id } : {})
  return html`<div class="view-head"><h1>Saved views</h1><span class="tools"><${Copies} report=${report} /></span></div>
    ${isEdited && html`<${Edit} key=${opened.id} saved=${opened} onClose=${close} />`}
    ${opened && !isEdited && html`<${Mailing} key=${opened.id} saved=${opened} />`}
    ${report.data && !opened && param('saved') !== undefined && html`<${Panel} title="Not found"><${Empty} title="This saved view does not exist."><p>It may have been deleted, or belong to someone else or to another organization. <a href=${hrefOf('saved')}>All saved views</a></p><//><//>`}
    <${Panel} title="Views">
      <${ReportContent} report=${report} rows=${4}>${(data: SavedViews) =>
        data.length === 0
          ? html`<${Empty} title="No saved views yet."><p>Open a view you use often and click <strong>Save view</strong> at the top. It then appears in the menu and can be emailed weekly or monthly.</p><//>`
          : html`<${List} saved=${data} />`}<//>
    <//>`
}
