# The bucket of releases, who may do what with it, and the CDN that shows the map tiles, on Amazon.

terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

locals {
  tiles = ["${var.prefix}/tiles/*.pmtiles", "${var.prefix}/tiles/*.bands"]
}

resource "aws_s3_bucket" "store" {
  bucket = var.bucket
}

resource "aws_s3_bucket_public_access_block" "store" {
  bucket                  = aws_s3_bucket.store.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "store" {
  bucket = aws_s3_bucket.store.id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "store" {
  bucket = aws_s3_bucket.store.id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

# What was promoted or collected by mistake can be had back for a month. Objects are never replaced,
# so that versions cost nothing but what `tta release gc` has removed.
resource "aws_s3_bucket_versioning" "store" {
  bucket = aws_s3_bucket.store.id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "store" {
  bucket = aws_s3_bucket.store.id

  rule {
    id     = "leftovers"
    status = "Enabled"

    filter {}

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }

    noncurrent_version_expiration {
      noncurrent_days = 30
    }
  }

  depends_on = [aws_s3_bucket_versioning.store]
}

data "aws_iam_policy_document" "bucket" {
  statement {
    sid       = "TheCdnReadsTiles"
    actions   = ["s3:GetObject"]
    resources = [for names in local.tiles : "${aws_s3_bucket.store.arn}/${names}"]

    principals {
      type        = "Service"
      identifiers = ["cloudfront.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "AWS:SourceArn"
      values   = [aws_cloudfront_distribution.tiles.arn]
    }
  }

  statement {
    sid       = "EncryptedOnTheWay"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.store.arn, "${aws_s3_bucket.store.arn}/*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_s3_bucket_policy" "store" {
  bucket = aws_s3_bucket.store.id
  policy = data.aws_iam_policy_document.bucket.json
}

# What a proxy may do: read the store, and list it, without which S3 says of what is missing that it is
# refused (it holds the object's name against the condition on prefixes). What a builder may do: read,
# write, list, take away. Neither is told what else there is in the bucket.
data "aws_iam_policy_document" "reader" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.store.arn}/${var.prefix}/*"]
  }

  statement {
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.store.arn]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["${var.prefix}/*"]
    }
  }
}

data "aws_iam_policy_document" "builder" {
  statement {
    actions = [
      "s3:GetObject",
      "s3:PutObject",
      "s3:DeleteObject",
      "s3:AbortMultipartUpload",
      "s3:ListMultipartUploadParts",
    ]
    resources = ["${aws_s3_bucket.store.arn}/${var.prefix}/*"]
  }

  statement {
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.store.arn]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["${var.prefix}/*"]
    }
  }

  # S3 knows no prefix as a condition of this.
  statement {
    actions   = ["s3:ListBucketMultipartUploads"]
    resources = [aws_s3_bucket.store.arn]
  }
}

resource "aws_iam_policy" "reader" {
  name   = "${var.bucket}-reader"
  policy = data.aws_iam_policy_document.reader.json
}

resource "aws_iam_policy" "builder" {
  name   = "${var.bucket}-builder"
  policy = data.aws_iam_policy_document.builder.json
}

resource "aws_cloudfront_origin_access_control" "tiles" {
  name                              = "${var.bucket}-tiles"
  origin_access_control_origin_type = "s3"
  signing_behavior                  = "always"
  signing_protocol                  = "sigv4"
}

# By the name alone, which carries a hash: neither cookies nor queries choose an object. Archives are
# compressed inside, tile by tile, so nothing is compressed on the way, and ranges are of what lies there.
resource "aws_cloudfront_cache_policy" "immutable" {
  name        = "${var.bucket}-immutable"
  min_ttl     = 0
  default_ttl = 0
  max_ttl     = 31536000

  parameters_in_cache_key_and_forwarded_to_origin {
    enable_accept_encoding_brotli = false
    enable_accept_encoding_gzip   = false

    cookies_config {
      cookie_behavior = "none"
    }

    headers_config {
      header_behavior = "none"
    }

    query_strings_config {
      query_string_behavior = "none"
    }
  }
}

# What the pages of others may do with tiles: as `infra/front/nginx.conf.template` says it.
resource "aws_cloudfront_response_headers_policy" "tiles" {
  name = "${var.bucket}-tiles"

  cors_config {
    access_control_allow_credentials = false
    access_control_max_age_sec       = 86400
    origin_override                  = true

    access_control_allow_headers {
      items = ["Range", "If-Match", "If-None-Match"]
    }

    access_control_allow_methods {
      items = ["GET", "HEAD"]
    }

    access_control_allow_origins {
      items = ["*"]
    }

    access_control_expose_headers {
      items = ["ETag", "Content-Range"]
    }
  }

  security_headers_config {
    content_type_options {
      override = true
    }

    strict_transport_security {
      access_control_max_age_sec = 63072000
      override                   = true
    }
  }
}

resource "aws_cloudfront_distribution" "tiles" {
  enabled         = true
  is_ipv6_enabled = true
  http_version    = "http2and3"
  price_class     = "PriceClass_100"
  aliases         = [var.tiles_host]
  comment         = "Map tiles of ${var.bucket}"

  origin {
    origin_id                = "store"
    domain_name              = aws_s3_bucket.store.bucket_regional_domain_name
    origin_path              = "/${var.prefix}"
    origin_access_control_id = aws_cloudfront_origin_access_control.tiles.id
  }

  # The bucket gives the CDN archives of tiles, and refuses it the rest.
  default_cache_behavior {
    target_origin_id           = "store"
    viewer_protocol_policy     = "redirect-to-https"
    allowed_methods            = ["GET", "HEAD", "OPTIONS"]
    cached_methods             = ["GET", "HEAD"]
    compress                   = false
    cache_policy_id            = aws_cloudfront_cache_policy.immutable.id
    response_headers_policy_id = aws_cloudfront_response_headers_policy.tiles.id
  }

  # Errors are the bucket's own, and are not kept: an archive may be there in a moment.
  dynamic "custom_error_response" {
    for_each = toset([403, 404, 500, 502, 503, 504])

    content {
      error_code            = custom_error_response.value
      error_caching_min_ttl = 0
    }
  }

  restrictions {
    geo_restriction {
      restriction_type = "none"
    }
  }

  viewer_certificate {
    acm_certificate_arn      = var.certificate_arn
    minimum_protocol_version = "TLSv1.2_2021"
    ssl_support_method       = "sni-only"
  }
}
