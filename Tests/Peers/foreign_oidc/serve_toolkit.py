"""django-oauth-toolkit, the OpenID provider of the Django world, on a free port; see serving.py.

The login page is that of Django's administrator site, which every Django project has.
"""
import json
import tempfile
import uuid
import warnings

import django
import serving
from django.conf import settings
from jwcrypto.jwk import JWK

warnings.simplefilter("ignore")
# Django reads the addresses from the module that ROOT_URLCONF names: this one.
urlpatterns = []


def new_key():
    return JWK.generate(kty="RSA", size=2048).export_to_pem(private_key=True, password=None).decode()


def configure(port, folder):
    apps = ["admin", "auth", "contenttypes", "sessions", "messages", "staticfiles"]
    processors = ["auth.context_processors.auth", "messages.context_processors.messages"]
    settings.configure(
        SECRET_KEY=str(uuid.uuid4()), ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__,
        STATIC_URL="/static/", LOGIN_URL="/admin/login/", USE_TZ=True,
        # Cookies ignore ports, so the emulator's and other servers' would meet these.
        SESSION_COOKIE_NAME=f"sessionid{port}", CSRF_COOKIE_NAME=f"csrftoken{port}",
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        DATABASES={"default": {
            "ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/toolkit.sqlite",
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}},
        INSTALLED_APPS=[*(f"django.contrib.{app}" for app in apps), "oauth2_provider"],
        # The tables as they are now, without the history that led to them.
        MIGRATION_MODULES={app: None for app in [*apps, "oauth2_provider"]},
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware"],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request",
                *(f"django.contrib.{name}" for name in processors)]}}],
        LOGGING_CONFIG=None, DEBUG_PROPAGATE_EXCEPTIONS=True,
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": new_key(), "PKCE_REQUIRED": True,
            "REQUEST_APPROVAL_PROMPT": "auto",
            "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
            "OAUTH2_VALIDATOR_CLASS": f"{__name__}.Validator",
            "OAUTH_DEVICE_VERIFICATION_URI": f"http://127.0.0.1:{port}/o/device/",
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE":
                lambda code: f"http://127.0.0.1:{port}/o/device/?user_code={code}",
            "DEVICE_FLOW_INTERVAL": 1,
            # Whatever warns today is refused in the next version.
            "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
            "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
            "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
            "SCOPES": {"openid": "who you are", "profile": "your name", "email": "your address"}})
    django.setup()


def start(site):
    """Fills in what can be imported only when Django is configured."""
    from django.contrib import admin
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.http import JsonResponse
    from django.urls import include, path
    from oauth2_provider.oauth2_validators import OAuth2Validator
    from oauth2_provider.views import ConnectDiscoveryInfoView

    class Validator(OAuth2Validator):
        """Says who somebody is; the toolkit leaves that to each site."""

        def validate_silent_login(self, request):
            """Only who is logged in comes this far: the view sends others away before."""
            return True

        def validate_silent_authorization(self, request):
            """The view asks, or sees by a token of before that it need not."""
            return True

        def get_additional_claims(self):
            return {
                "name": lambda request: request.user.get_full_name(),
                "email": lambda request: request.user.email,
                "preferred_username": lambda request: request.user.username,
            }

    class Discovery(ConnectDiscoveryInfoView):
        """The toolkit has a page for devices, and leaves it out of what it says about itself."""

        def get(self, request, *arguments, **options):
            document = json.loads(super().get(request, *arguments, **options).content)
            document["device_authorization_endpoint"] = f"{site.base}/o/device-authorization/"
            return JsonResponse(document)

    globals()["Validator"] = Validator
    call_command("migrate", run_syncdb=True, verbosity=0)
    urlpatterns.extend([
        path("admin/", admin.site.urls),
        path("o/.well-known/openid-configuration", Discovery.as_view()),
        path("o/", include("oauth2_provider.urls"))])
    site.serve(StaticFilesHandler(get_wsgi_application()))


def add_person(person):
    from django.contrib.auth.models import User

    name = person["name"]
    # Only staff may come in by the administrator's door; they may do nothing behind it.
    User.objects.create_user(
        name, f"{name}@toolkit.example", person["password"], first_name=name.title(),
        last_name="Example", is_staff=True)


def add_client(client):
    from oauth2_provider.models import Application

    secret = client.get("secret")
    grant = Application.GRANT_DEVICE_CODE if client.get("device") else "authorization-code"
    Application.objects.create(
        client_id=client["id"], client_secret=secret or "", name=client["id"],
        client_type="confidential" if secret else "public",
        authorization_grant_type=grant, algorithm=client["algorithm"],
        redirect_uris=" ".join(client["redirects"]),
        post_logout_redirect_uris=" ".join(client.get("afterLogout", [])))


def rotate(_):
    from oauth2_provider.settings import oauth2_settings

    oauth2_settings.OIDC_RSA_PRIVATE_KEY = new_key()


def main():
    site = serving.Site()
    with tempfile.TemporaryDirectory(prefix="toolkit-") as folder:
        configure(site.port, folder)
        start(site)
        site.acts = {"person": add_person, "client": add_client, "rotate": rotate}
        serving.obey_lines(f"{site.base}/o", site.obey)


if __name__ == "__main__":
    main()
