"""Sixty calls of the Tidemark API with a client that openapi-python-client generated from /openapi.json.

    openapi-python-client generate --url "$URL/openapi.json" --meta none --output-path tidemark_client
    URL=... TOKEN=... python api-tour.py

Prints one line for each call, and exits with 1 if one was not answered as documented.
"""

import datetime
import enum
import importlib
import os
import sys
import uuid
from http import HTTPStatus

from tidemark_client import AuthenticatedClient
from tidemark_client.types import UNSET

client = AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["TOKEN"], timeout=60)
count = 0
failed = []


def body(module: str, value: dict):
    """The typed body that an operation takes."""
    found = importlib.import_module(f"tidemark_client.api.{module}")
    kind = found.sync_detailed.__annotations__["body"]
    for one in getattr(kind, "__args__", [kind]):
        if hasattr(one, "from_dict"):
            return one.from_dict(value)
    raise TypeError(module)


def typed(value, kind):
    """Words as the enumerations that the generated functions take."""
    choices = [one for one in (kind, *getattr(kind, "__args__", ())) if isinstance(one, type) and issubclass(one, enum.Enum)]
    if isinstance(value, str) and choices:
        return choices[0](value)
    if isinstance(value, list):
        lists = [one for one in getattr(kind, "__args__", ()) if getattr(one, "__origin__", None) is list]
        return [typed(one, lists[0].__args__[0]) if lists else one for one in value]
    return value


def call(module: str, *path, expect: int = 200, **query):
    """Calls an operation and returns what it answered: the typed `data`, or the whole answer if it has none."""
    global count
    count += 1
    operation = importlib.import_module(f"tidemark_client.api.{module}")
    if isinstance(query.get("body"), dict):
        query["body"] = body(module, query["body"])
    kinds = operation.sync_detailed.__annotations__
    query = {name: typed(value, kinds.get(name)) for name, value in query.items()}
    try:
        response = operation.sync_detailed(*path, client=client, **query)
        status, parsed = int(response.status_code), response.parsed
        note = "" if parsed is not None or status == 204 else "not parsed"
    except Exception as error:  # noqa: BLE001 - everything that a caller would stumble over
        status, parsed, note = 0, None, f"{type(error).__name__}: {error}"[:300]
        response = None
    if status != expect and response is not None:
        note = response.content.decode()[:300]
    is_good = status == expect and note == ""
    print(f"{count:3} {'ok ' if is_good else 'BAD'} {status} {module} {note}")
    if not is_good:
        failed.append(module)
    return getattr(parsed, "data", parsed)


today = datetime.date.today()
days = {"from_": (today - datetime.timedelta(days=40)).isoformat(), "to": (today - datetime.timedelta(days=10)).isoformat()}

# Who and what
me = call("authentication.get_auth_me")
accounts = call("cloud_accounts.get_cloud_accounts", limit=5)
call("cloud_accounts.get_cloud_accounts_cloud_account_id", accounts.items[0].id)
resources = call("resources.get_resources", limit=3, sort_by="name")
resource = resources[0]
call("resources.get_resources_resource_id", resource.id)
call("resources.get_resources_resource_id_context", resource.id)
call("resources.post_resources_by_uids", body={"uids": [one.uid for one in resources]})
call("search.get_search", q="prod")

# Reports
summary = call("reports.get_reports_summary")
call("reports.get_reports_providers_summary", **days)
series = call("reports.get_reports_costs_series", **days, group_by=["service_name", "region"], granularity="weekly", compare="previous", top=5)
call("reports.get_reports_costs_series", **days, dims=["provider"])
exact = call("reports.get_reports_costs_series", **days, money="text")
flow = call("reports.get_reports_costs_breakdown", **days, group_by=["provider", "service_name"])
call("reports.get_reports_costs_resources", **days, group_by="resource", limit=5)
call("reports.get_reports_trends", **days)
call("reports.get_reports_cost_history", **days, granularity="monthly")
call("reports.get_reports_forecast")
drivers = call("reports.get_reports_drivers", **days, group_by=["team_id"], limit=3)
call("reports.get_reports_commitments", **days)
receipt = call("reports.get_reports_receipt", **days, limit=3)
call("reports.get_reports_kubernetes", **days, group_by="namespace")
call("reports.get_reports_anomalies", **days, limit=3)
call("reports.get_reports_metrics", **days)
call("reports.get_reports_teams", **days)
call("reports.get_reports_teams_trends", **days, granularity="weekly")
tags = call("reports.get_reports_tags", **days)
call("reports.get_reports_tags_tag_key", tags.items[0].tag_key, **days)
call("reports.get_reports_snapshots")
call("reports.get_reports_savings", **days, group_by="rule")
call("reports.get_reports_savings_projection")
call("reports.get_reports_savings_claims", limit=3)
call("reports.get_reports_resources_summary")
call("reports.get_reports_bill_overlaps")
call("billing.get_billing_exports", limit=3)

# Another currency
call("reports.get_reports_costs_series", **days, currency="CHF", expect=422)
call("exchange_rates.put_exchange_rates_currency_day", "CHF", datetime.date(2020, 1, 1), body={"usdPerUnit": "1.12"})
call("reports.get_reports_costs_series", **days, currency="CHF", money="text")
call("exchange_rates.get_exchange_rates", currency=["CHF"])
call("exchange_rates.delete_exchange_rates_currency_day", "CHF", datetime.date(2020, 1, 1), expect=204)

# What people set
team = call("teams.post_teams", body={"name": f"Tour {uuid.uuid4().hex[:6]}"}, expect=201)
call("teams.get_teams_team_id", team.id)
call("teams.get_teams", limit=1000)
call("teams.get_teams", limit=1000, prefer="handling=strict", expect=400)
budget = call("budgets.post_budgets", body={"scope": {"kind": "team", "name": team.name}, "monthlyBudgetUSD": 100}, expect=201)
call("budgets.get_budgets_budget_id", budget.id)
call("budgets.get_budgets_budget_id_forecast", budget.id)
call("budgets.get_budgets_summary")
call("budgets.delete_budgets_budget_id", budget.id, expect=204)
call("teams.delete_teams_team_id", team.id, expect=204)
note = call("notes.post_notes", body={"day": "2026-01-15", "text": "Tour"}, expect=201)
call("notes.get_notes", from_="2026-01-01", to="2026-01-31")
call("notes.delete_notes_note_id", note.id, expect=204)
view = call("saved_views.post_saved_views", body={"name": "Tour", "view": "costs", "query": "range=month"}, expect=201)
call("saved_views.delete_saved_views_saved_view_id", view.id, expect=204)

# Savings, schedules, notifications
call("recommendations.get_recommendations", limit=3)
call("recommendations.get_recommendations_summary")
call("recommendations.get_recommendations_rules")
call("schedules.get_schedules")
call("notifications.get_notifications_channels")
call("notifications.get_notifications_event_types")
call("policies.get_policies")
call("workflows.get_workflows")
call("reports.get_reports_costs_breakdown", group_by=["colour"], expect=400)

print(f"{count} calls, {len(failed)} not as documented", *failed)
sys.exit(1 if failed else 0)
